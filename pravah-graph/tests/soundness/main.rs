//! Soundness, and which markings can finish, against brute force on small nets; large ones are decided as well.

#[cfg(test)]
mod brute_force;
#[cfg(test)]
mod cases;
#[cfg(test)]
mod catches;
#[cfg(test)]
mod concurrency;
#[cfg(test)]
mod explanations;
#[cfg(test)]
mod findings;
#[cfg(test)]
mod generate;
#[cfg(test)]
mod markings;
#[cfg(test)]
mod pairs;
#[cfg(test)]
mod property;
#[cfg(test)]
mod scale;
#[cfg(test)]
mod shapes;
#[cfg(test)]
mod way_out;
