package com.acme.lab.routers;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.dubbo.rpc.Invoker;

/** One way in which Dubbo built its router chains. Every generation has a class `Routers` for it. */
interface Generation {
    /** Drops what the framework keeps of earlier references. */
    void forget() throws Exception;

    /** Creates the references of a case as a consumer does at start, and tells their chains the addresses. */
    Reference refer(Question question) throws Exception;

    /** The first reference: the one whose call is routed. */
    interface Reference {
        /** Routes the call. */
        List<Invoker<Service>> route() throws Exception;

        /** Routes the call; places of the selected addresses, in order. */
        default List<Integer> select() throws Exception {
            return places(route());
        }

        /** Routes it once more and watches; what every router that ran left over. */
        List<Map<String, Object>> steps() throws Exception;
    }

    static <T> List<Integer> places(List<Invoker<T>> invokers) {
        List<Integer> places = new ArrayList<>();
        if (invokers != null) {
            for (Invoker<T> invoker : invokers) {
                places.add(((Address) (Invoker<?>) invoker).place);
            }
        }
        return places;
    }

    static Map<String, Object> step(Object router, List<Integer> out) {
        Map<String, Object> step = new LinkedHashMap<>();
        step.put("router", router.getClass().getSimpleName());
        step.put("out", out);
        return step;
    }
}
