package com.acme.lab.routers;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.dubbo.common.URL;
import org.apache.dubbo.rpc.Invoker;
import org.apache.dubbo.rpc.RpcInvocation;
import org.apache.dubbo.rpc.cluster.RouterChain;
import org.apache.dubbo.rpc.cluster.router.state.BitList;
import org.apache.dubbo.rpc.cluster.router.state.StateRouter;

/** 3.0.5: a list of state routers, one after the other. */
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

            /** The chain has no place for a recorder, so its routers are called as it calls them. */
            @Override
            public List<Map<String, Object>> steps() {
                List<Map<String, Object>> steps = new ArrayList<>();
                BitList<Invoker<Service>> left = addresses.clone();
                for (StateRouter<Service> router : chain.getStateRouters()) {
                    left = router.route(left, consumer, invocation, false).getResult();
                    steps.add(Generation.step(router, Generation.places(left)));
                    if (left.isEmpty()) {
                        break;
                    }
                }
                return steps;
            }
        };
    }
}
