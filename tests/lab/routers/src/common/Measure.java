package com.acme.lab.routers;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Map;

/**
 * What something costs: the CPU time of the thread that does it, in the best of several rounds after warming up, since
 * whatever else runs only ever adds to it.
 *
 * @param of `call`: the call of the case; `rule`: its first rule, published once more
 */
record Measure(String of, long warmMillis, long roundMillis, int rounds) {
    /** Does it once; how many did the same for it. */
    private interface Turn {
        int take() throws Exception;
    }

    static Measure read(JsonElement value) {
        if (value == null) {
            return null;
        }
        JsonObject json = value.getAsJsonObject();
        return new Measure(
                json.get("of").getAsString(),
                json.get("warm_ms").getAsLong(),
                json.get("round_ms").getAsLong(),
                json.get("rounds").getAsInt());
    }

    Map<String, Object> take(Question question, Generation.Reference reference, Rules rules) throws Exception {
        return switch (of) {
            case "call" -> best(() -> {
                reference.route();
                return 1;
            });
            // Every chain of a reference has routers of its own, which all read it.
            case "rule" -> best(() -> rules.change(question.rules.get(0)));
            default -> throw new IllegalArgumentException("measure " + of);
        };
    }

    private Map<String, Object> best(Turn turn) throws Exception {
        double best = perTurn(turn, warmMillis);
        for (int round = 0; round < rounds; round++) {
            best = Math.min(best, perTurn(turn, roundMillis));
        }
        return Map.of("cpu_ns", best);
    }

    private static double perTurn(Turn turn, long millis) throws Exception {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long start = threads.getCurrentThreadCpuTime();
        long took;
        long turns = 0;
        do {
            int done = turn.take();
            if (done == 0) {
                throw new IllegalStateException("nobody did it");
            }
            turns += done;
            took = threads.getCurrentThreadCpuTime() - start;
        } while (took < millis * 1_000_000);
        return (double) took / turns;
    }
}
