package com.acme.lab.routers;

import java.util.List;
import java.util.Map;
import org.apache.dubbo.common.URL;
import org.apache.dubbo.rpc.Invoker;
import org.apache.dubbo.rpc.RpcInvocation;
import org.apache.dubbo.rpc.cluster.RouterChain;
import org.apache.dubbo.rpc.cluster.router.state.BitList;

/** 3.0.6 to 3.1: one linked chain. */
final class Routers implements Generation {
    private final Framework framework;

    Routers(Rules rules) throws Exception {
        framework = new Framework(rules);
    }

    @Override
    public void forget() throws Exception {
        framework.forget();
    }

    private RouterChain<Service> subscribe(URL consumer, List<String> routerUrls, BitList<Invoker<Service>> addresses)
            throws Exception {
        RouterChain<Service> chain = RouterChain.buildChain(Service.class, consumer);
        framework.tell(chain, consumer, routerUrls);
        chain.setInvokers(addresses.clone());
        return chain;
    }

    @Override
    public Reference refer(Question question) throws Exception {
        URL consumer = framework.consumer(question.first);
        BitList<Invoker<Service>> addresses = framework.addresses(question.first, consumer);
        RouterChain<Service> chain = subscribe(consumer, question.routerUrls, addresses);
        if (question.later != null) {
            URL second = framework.consumer(question.later);
            subscribe(second, List.of(), framework.addresses(question.later, second));
        }
        RpcInvocation invocation = framework.invocation(question, consumer);
        return new Reference() {
            @Override
            public List<Invoker<Service>> route() {
                return chain.route(consumer, addresses.clone(), invocation);
            }

            @Override
            public List<Map<String, Object>> steps() {
                try (Watches watches = new Watches(chain.getHeadStateRouter())) {
                    route();
                    return watches.steps();
                }
            }
        };
    }
}
