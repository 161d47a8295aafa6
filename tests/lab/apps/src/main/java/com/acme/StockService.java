package com.acme;

/** A second service: what an application exports beside, or instead of, the asked one. */
public interface StockService {
    String greet(String name);
}
