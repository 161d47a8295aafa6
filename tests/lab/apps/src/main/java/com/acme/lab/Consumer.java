package com.acme.lab;

import com.acme.OrderService;
import org.apache.dubbo.config.ConsumerConfig;
import org.apache.dubbo.config.ReferenceConfig;
import org.apache.dubbo.config.bootstrap.DubboBootstrap;
import org.apache.dubbo.rpc.RpcContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Calls the interface of {@code lab.interfaces} when told: {@code call <times at once> <method> <argument> [attachment=value ..]}. */
final class Consumer implements Main.Role {
    private static final Logger LOG = LoggerFactory.getLogger(Consumer.class);

    private final Class<?> type;
    private final ReferenceConfig<Object> reference = new ReferenceConfig<>();

    Consumer(DubboBootstrap dubbo) throws Exception {
        type = Class.forName(Settings.of("interfaces", OrderService.class.getName()));
        reference.setInterface(type);
        Settings.onto(reference, "reference");
        dubbo.consumer(Settings.onto(new ConsumerConfig(), "consumer"));
        dubbo.reference(reference);
        dubbo.start();
        reference.get();
    }

    /** How many calls came back with an answer, how many did not, and what the first of these said. */
    @Override
    public String hear(String line) throws Exception {
        String[] words = line.trim().split("\\s+");
        int times = Integer.parseInt(words[1]);
        ExecutorService callers = Executors.newFixedThreadPool(times);
        List<Future<String>> calls = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            calls.add(callers.submit(() -> one(words)));
        }
        int failed = 0;
        String said = "";
        for (Future<String> call : calls) {
            String failure = call.get();
            if (failure != null) {
                said = failed++ == 0 ? " " + failure : said;
            }
        }
        callers.shutdown();
        return "called " + (times - failed) + " " + failed + said;
    }

    private String one(String[] words) {
        for (int i = 4; i < words.length; i++) {
            int at = words[i].indexOf('=');
            RpcContext.getContext().setAttachment(words[i].substring(0, at), words[i].substring(at + 1));
        }
        try {
            type.getMethod(words[2], String.class).invoke(reference.get(), words[3]);
            return null;
        } catch (InvocationTargetException failed) {
            // As an application does that tells of its failures.
            LOG.error(words[2] + " failed", failed.getCause());
            return Main.text(failed.getCause());
        } catch (Exception failed) {
            return Main.text(failed);
        }
    }
}
