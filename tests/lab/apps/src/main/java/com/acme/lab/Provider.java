package com.acme.lab;

import com.acme.OrderService;
import com.acme.StockService;
import org.apache.dubbo.config.ProtocolConfig;
import org.apache.dubbo.config.ProviderConfig;
import org.apache.dubbo.config.ServiceConfig;
import org.apache.dubbo.config.bootstrap.DubboBootstrap;

/** Exports the interfaces of {@code lab.interfaces}. */
final class Provider implements Main.Role {
    Provider(DubboBootstrap dubbo) throws Exception {
        dubbo.protocol(Settings.onto(new ProtocolConfig("dubbo"), "protocol"));
        dubbo.provider(Settings.onto(new ProviderConfig(), "provider"));
        for (String name : Settings.of("interfaces", OrderService.class.getName()).split(",")) {
            ServiceConfig<Object> service = new ServiceConfig<>();
            service.setInterface(Class.forName(name));
            service.setRef(new Answers());
            dubbo.service(Settings.onto(service, "service"));
        }
        dubbo.start();
    }

    @Override
    public String hear(String line) {
        return "a provider only serves";
    }

    private static final class Answers implements OrderService, StockService {
        @Override
        public String greet(String name) {
            return "hello " + name;
        }

        @Override
        public String find(String id) {
            return "order " + id;
        }

        @Override
        public String slow(String millis) {
            try {
                Thread.sleep(Long.parseLong(millis));
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            return millis;
        }
    }
}
