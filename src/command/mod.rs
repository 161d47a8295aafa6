//! One file per verb: settings, observe, diagnose, render. The only place where all layers meet.
