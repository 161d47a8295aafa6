//! Pure: from stages to verdict, certainty and findings.
