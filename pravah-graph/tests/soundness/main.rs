//! The soundness checker against brute force, on small nets and on large ones.

#[cfg(test)]
mod brute_force;
#[cfg(test)]
mod findings;
#[cfg(test)]
mod generate;
#[cfg(test)]
mod property;
#[cfg(test)]
mod scale;
#[cfg(test)]
mod shapes;
#[cfg(test)]
mod way_out;
