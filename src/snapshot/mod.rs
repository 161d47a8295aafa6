//! The facts: snapshot format 1, an index over raw lines; masking on the way in.
