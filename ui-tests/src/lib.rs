//! Tests alone: see `tests`, and the cases in `fail` and `pass`.
