package com.acme.lab.routers;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.dubbo.common.URL;
import org.apache.dubbo.common.config.Environment;
import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.registry.NotifyListener;
import org.apache.dubbo.registry.integration.RegistryDirectory;
import org.apache.dubbo.registry.support.CacheableFailbackRegistry;
import org.apache.dubbo.rpc.Invoker;
import org.apache.dubbo.rpc.RpcInvocation;
import org.apache.dubbo.rpc.cluster.Router;
import org.apache.dubbo.rpc.cluster.RouterChain;
import org.apache.dubbo.rpc.cluster.RouterFactory;
import org.apache.dubbo.rpc.cluster.router.mesh.route.MeshRuleManager;
import org.apache.dubbo.rpc.cluster.router.state.BitList;
import org.apache.dubbo.rpc.cluster.router.state.StateRouter;
import org.apache.dubbo.rpc.cluster.router.state.StateRouterFactory;
import org.apache.dubbo.rpc.model.ApplicationModel;
import org.apache.dubbo.rpc.model.ModuleModel;

/** What every 3.x has: models, factories that keep routers, and a registry that turns texts into addresses. */
final class Framework {
    private final ModuleModel module;
    private final Entries entries;
    /** What keeps something from one reference to the next. */
    private final List<Kept> kept = new ArrayList<>();

    private record Kept(Field field, Object owner) {
        void drop() throws IllegalAccessException {
            if (field.get(owner) instanceof Map<?, ?> map) {
                map.clear();
            } else {
                field.set(owner, null);
            }
        }
    }

    Framework(Rules rules) throws Exception {
        ApplicationModel application = ApplicationModel.defaultModel();
        ApplicationConfig host = new ApplicationConfig(Rules.HOST);
        host.setQosEnable(false);
        application.getApplicationConfigManager().setApplication(host);
        module = application.getDefaultModule();
        application.getModelEnvironment().setDynamicConfiguration(rules);
        ((Environment) module.getModelEnvironment()).setDynamicConfiguration(rules);
        for (Object factory : module.getExtensionLoader(StateRouterFactory.class).getSupportedExtensionInstances()) {
            keeps(factory);
        }
        for (Object factory : module.getExtensionLoader(RouterFactory.class).getSupportedExtensionInstances()) {
            keeps(factory);
        }
        keeps(module.getBeanFactory().getBean(MeshRuleManager.class));
        for (Field field : MeshRuleManager.class.getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers()) && Map.class.isAssignableFrom(field.getType())) {
                field.setAccessible(true);
                kept.add(new Kept(field, null));
            }
        }
        entries = new Entries(URL.valueOf(
                        "zookeeper://127.0.0.1:2181/org.apache.dubbo.registry.RegistryService?file-cache=false&file.cache=false")
                .setScopeModel(application));
    }

    /** Finds maps and routers in the fields of an object. */
    private void keeps(Object owner) {
        if (owner == null) {
            return;
        }
        for (Class<?> type = owner.getClass(); type != Object.class; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                boolean keeps = Map.class.isAssignableFrom(field.getType())
                        || Router.class.isAssignableFrom(field.getType())
                        || StateRouter.class.isAssignableFrom(field.getType());
                if (keeps && !Modifier.isStatic(field.getModifiers())) {
                    field.setAccessible(true);
                    kept.add(new Kept(field, owner));
                }
            }
        }
    }

    void forget() throws Exception {
        for (Kept one : kept) {
            one.drop();
        }
        entries.forget();
    }

    URL consumer(Question.Subscription subscription) {
        return URL.valueOf(subscription.consumer()).setScopeModel(module);
    }

    /** The addresses as the registry gives them to a directory. */
    BitList<Invoker<Service>> addresses(Question.Subscription subscription, URL consumer) {
        List<Invoker<Service>> addresses = new ArrayList<>();
        for (String provider : subscription.providers()) {
            addresses.add(new Address(addresses.size(), entries.read(consumer, provider)));
        }
        return new BitList<>(addresses);
    }

    /** Tells the chain the rule URLs of the registry, through the directory's own conversion. */
    @SuppressWarnings("unchecked")
    void tell(RouterChain<Service> chain, URL consumer, List<String> routerUrls) throws Exception {
        if (routerUrls.isEmpty()) {
            return;
        }
        Map<String, String> query = new HashMap<>(consumer.getParameters());
        query.putIfAbsent("interface", consumer.getServiceInterface());
        URL registry = URL.valueOf("registry://127.0.0.1:2181/org.apache.dubbo.registry.RegistryService")
                .setScopeModel(module)
                .putAttribute("refer", query)
                .putAttribute("CONSUMER_URL", consumer);
        Method toRouters = RegistryDirectory.class.getDeclaredMethod("toRouters", List.class);
        toRouters.setAccessible(true);
        List<URL> urls = new ArrayList<>();
        for (String url : routerUrls) {
            urls.add(URL.valueOf(url).setScopeModel(module));
        }
        RegistryDirectory<Service> directory = new RegistryDirectory<>(Service.class, registry);
        chain.addRouters(((Optional<List<Router>>) toRouters.invoke(directory, urls)).orElse(List.of()));
    }

    RpcInvocation invocation(Question question, URL consumer) {
        RpcInvocation invocation = question.invocation();
        invocation.setServiceName(consumer.getServiceInterface());
        invocation.setTargetServiceUniqueName(consumer.getServiceKey());
        return invocation;
    }

    /** A registry that is connected to nothing, for its reading of entries. */
    private static final class Entries extends CacheableFailbackRegistry {
        /** Shared by all registries of the process, without bound. */
        private static final int MOST = 100_000;

        Entries(URL url) {
            super(url);
        }

        URL read(URL consumer, String text) {
            // What is known of a subscriber's entries would be taken from there.
            stringUrls.clear();
            List<URL> urls = toUrlsWithoutEmpty(consumer, List.of(URL.encode(text)));
            if (urls.size() != 1) {
                throw new IllegalArgumentException("no address: " + text);
            }
            return urls.get(0);
        }

        void forget() {
            stringUrls.clear();
            if (stringAddress.size() + stringParam.size() > MOST) {
                stringAddress.clear();
                stringParam.clear();
            }
        }

        @Override
        protected boolean isMatch(URL subscribed, URL provider) {
            return true;
        }

        @Override
        public boolean isAvailable() {
            return true;
        }

        @Override
        public void doRegister(URL url) {}

        @Override
        public void doUnregister(URL url) {}

        @Override
        public void doSubscribe(URL url, NotifyListener listener) {}
    }
}
