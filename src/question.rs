//! What is asked: the service, what is known of the consumer, where it is configured to look.
