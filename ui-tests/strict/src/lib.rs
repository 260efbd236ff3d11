//! One of everything, written so that no lint has anything to say of it.

pub mod desk;
