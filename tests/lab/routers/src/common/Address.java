package com.acme.lab.routers;

import org.apache.dubbo.common.URL;
import org.apache.dubbo.rpc.Invocation;
import org.apache.dubbo.rpc.Invoker;
import org.apache.dubbo.rpc.Result;

/** A provider that is always there and never called. */
final class Address implements Invoker<Service> {
    final int place;
    private final URL url;

    Address(int place, URL url) {
        this.place = place;
        this.url = url;
    }

    @Override
    public URL getUrl() {
        return url;
    }

    @Override
    public Class<Service> getInterface() {
        return Service.class;
    }

    @Override
    public boolean isAvailable() {
        return true;
    }

    @Override
    public Result invoke(Invocation invocation) {
        throw new UnsupportedOperationException("calls are routed, not made");
    }

    @Override
    public void destroy() {}
}
