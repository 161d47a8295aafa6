//! The public report (JSON schema version 1) and how it is shown.
