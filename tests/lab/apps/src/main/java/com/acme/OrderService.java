package com.acme;

/** The service that the scenarios ask about. */
public interface OrderService {
    String greet(String name);

    String find(String id);

    /** Answers after so many milliseconds. */
    String slow(String millis);
}
