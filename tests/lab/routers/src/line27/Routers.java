package com.acme.lab.routers;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.dubbo.common.URL;
import org.apache.dubbo.common.extension.ExtensionLoader;
import org.apache.dubbo.common.utils.StringUtils;
import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.registry.integration.RegistryDirectory;
import org.apache.dubbo.rpc.Invocation;
import org.apache.dubbo.rpc.Invoker;
import org.apache.dubbo.rpc.RpcInvocation;
import org.apache.dubbo.rpc.cluster.CacheableRouterFactory;
import org.apache.dubbo.rpc.cluster.Router;
import org.apache.dubbo.rpc.cluster.RouterChain;
import org.apache.dubbo.rpc.cluster.RouterFactory;
import org.apache.dubbo.rpc.model.ApplicationModel;

/** 2.7: a sorted list of routers; a directory lays the consumer's parameters over the addresses. */
final class Routers implements Generation {
    private final Field routersOfChain = open(RouterChain.class, "routers");
    private final Field routersOfFactory = open(CacheableRouterFactory.class, "routerMap");
    private final Method mergeUrl = RegistryDirectory.class.getDeclaredMethod("mergeUrl", URL.class);
    private final Method toRouters = RegistryDirectory.class.getDeclaredMethod("toRouters", List.class);

    Routers(Rules rules) throws Exception {
        mergeUrl.setAccessible(true);
        toRouters.setAccessible(true);
        ApplicationConfig host = new ApplicationConfig(Rules.HOST);
        host.setQosEnable(false);
        ApplicationModel.getConfigManager().setApplication(host);
        ApplicationModel.getEnvironment().setDynamicConfiguration(rules);
    }

    private static Field open(Class<?> owner, String name) throws Exception {
        Field field = owner.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    @Override
    public void forget() throws Exception {
        ExtensionLoader<RouterFactory> loader = ExtensionLoader.getExtensionLoader(RouterFactory.class);
        for (String name : loader.getSupportedExtensions()) {
            RouterFactory factory = loader.getExtension(name);
            if (factory instanceof CacheableRouterFactory) {
                ((Map<?, ?>) routersOfFactory.get(factory)).clear();
            }
            for (Field field : factory.getClass().getDeclaredFields()) {
                if (Router.class.isAssignableFrom(field.getType())) {
                    field.setAccessible(true);
                    field.set(factory, null);
                }
            }
        }
    }

    @Override
    public Reference refer(Question question) throws Exception {
        Subscribed first = subscribe(question.first, question.routerUrls);
        if (question.later != null) {
            subscribe(question.later, List.of());
        }
        return new Watched(first, question.invocation());
    }

    private record Subscribed(RouterChain<Service> chain, URL url) {}

    @SuppressWarnings("unchecked")
    private Subscribed subscribe(Question.Subscription subscription, List<String> routerUrls) throws Exception {
        URL consumer = URL.valueOf(subscription.consumer());
        // As RegistryProtocol hands the reference over to its directory.
        Map<String, String> query = new HashMap<>(consumer.getParameters());
        query.putIfAbsent("interface", consumer.getServiceInterface());
        query.put("register.ip", consumer.getHost());
        URL registry = new URL("registry", "127.0.0.1", 2181, "org.apache.dubbo.registry.RegistryService",
                Map.of("refer", URL.encode(StringUtils.toQueryString(query))));
        RegistryDirectory<Service> directory = new RegistryDirectory<>(Service.class, registry);
        List<Invoker<Service>> addresses = new ArrayList<>();
        for (String provider : subscription.providers()) {
            URL merged = (URL) mergeUrl.invoke(directory, entry(provider));
            addresses.add(new Address(addresses.size(), merged));
        }
        RouterChain<Service> chain = RouterChain.buildChain(consumer);
        if (!routerUrls.isEmpty()) {
            List<URL> urls = routerUrls.stream().map(URL::valueOf).toList();
            ((Optional<List<Router>>) toRouters.invoke(directory, urls)).ifPresent(chain::addRouters);
        }
        chain.setInvokers(addresses);
        return new Subscribed(chain, directory.getConsumerUrl());
    }

    /** As the registry's client reads what lies under {@code providers}: from 2.7.7 on by a parser of its own. */
    private static URL entry(String provider) throws ReflectiveOperationException {
        try {
            Class<?> parser = Class.forName("org.apache.dubbo.common.URLStrParser");
            return (URL) parser.getMethod("parseEncodedStr", String.class).invoke(null, URL.encode(provider));
        } catch (ClassNotFoundException older) {
            return URL.valueOf(provider);
        }
    }

    private final class Watched implements Reference {
        private final RouterChain<Service> chain;
        private final URL url;
        private final RpcInvocation invocation;

        Watched(Subscribed subscribed, RpcInvocation invocation) {
            this.chain = subscribed.chain();
            this.url = subscribed.url();
            this.invocation = invocation;
        }

        @Override
        public List<Invoker<Service>> route() {
            return chain.route(url, invocation);
        }

        @Override
        public List<Map<String, Object>> steps() throws Exception {
            List<Map<String, Object>> steps = new ArrayList<>();
            @SuppressWarnings("unchecked")
            List<Router> routers = (List<Router>) routersOfChain.get(chain);
            List<Router> watched = new ArrayList<>();
            routers.forEach(router -> watched.add(new Watch(router, steps)));
            routersOfChain.set(chain, watched);
            try {
                route();
            } finally {
                routersOfChain.set(chain, routers);
            }
            return steps;
        }
    }

    /** Takes a router's place and writes down what it leaves over. */
    private record Watch(Router router, List<Map<String, Object>> steps) implements Router {
        @Override
        public <T> List<Invoker<T>> route(List<Invoker<T>> invokers, URL url, Invocation invocation) {
            List<Invoker<T>> left = router.route(invokers, url, invocation);
            steps.add(Generation.step(router, Generation.places(left)));
            return left;
        }

        @Override
        public URL getUrl() {
            return router.getUrl();
        }

        @Override
        public boolean isRuntime() {
            return router.isRuntime();
        }

        @Override
        public boolean isForce() {
            return router.isForce();
        }

        @Override
        public int getPriority() {
            return router.getPriority();
        }
    }
}
