package com.acme.lab.routers;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;

/** Reads a case per line, lets the real chain answer it, writes the answer on a line. Ends with its input, never before. */
public final class Main {
    private static final Gson GSON = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();

    private final Rules rules = new Rules();
    private final Generation generation;

    private Main() throws Exception {
        generation = new Routers(rules);
    }

    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        // Whatever the framework or a script prints must not come between the answers.
        System.setOut(System.err);
        LogManager.getLogManager().reset();
        Logger.getLogger("").setLevel(Level.OFF);
        Main main = new Main();
        // The framework configures its logger once it is used.
        Logger.getLogger("").setLevel(Level.OFF);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8), 1 << 16);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(GSON.toJson(main.answer(line)));
            if (!in.ready()) {
                out.flush();
            }
        }
        out.flush();
        // Threads of the framework would keep it alive.
        Runtime.getRuntime().halt(0);
    }

    private Map<String, Object> answer(String line) {
        Map<String, Object> answer = new LinkedHashMap<>();
        Map<String, String> before = new LinkedHashMap<>();
        String stage = "case";
        try {
            Question question = Question.read(line);
            answer.put("id", question.id);
            for (Map.Entry<String, String> property : question.systemProperties.entrySet()) {
                before.put(property.getKey(), System.getProperty(property.getKey()));
                System.setProperty(property.getKey(), property.getValue());
            }
            rules.forget();
            generation.forget();
            for (Question.Rule rule : question.rules) {
                rules.hold(rule);
            }
            stage = "build";
            Generation.Reference reference = generation.refer(question);
            stage = "update";
            for (Question.Rule update : question.updates) {
                rules.change(update);
            }
            stage = "route";
            select(question, reference, answer);
            answer.put("error", null);
            if (question.measure != null) {
                stage = "measure";
                answer.put("measured", question.measure.take(question, reference, rules));
            }
            stage = "trace";
            answer.put("per_router", reference.steps());
        } catch (Throwable thrown) {
            failed(answer, stage, thrown);
        } finally {
            before.forEach((key, value) -> {
                if (value == null) {
                    System.clearProperty(key);
                } else {
                    System.setProperty(key, value);
                }
            });
        }
        answer.put("keys_read", rules.asked());
        return answer;
    }

    /**
     * Calls as often as the case wants. A case that gives one answer in the first third is not asked further: that is how
     * most cases of a random kind are, and they would cost the most.
     */
    private static void select(Question question, Generation.Reference reference, Map<String, Object> answer)
            throws Exception {
        Map<List<Integer>, Integer> counts = new LinkedHashMap<>();
        int calls = 0;
        do {
            counts.merge(reference.select(), 1, Integer::sum);
            calls++;
        } while (calls < question.repeat && (calls < question.repeat / 3 || counts.size() > 1));
        if (counts.size() == 1) {
            answer.put("selected", counts.keySet().iterator().next());
            answer.put("calls", calls);
        } else {
            answer.put("selected_any_of", new ArrayList<>(counts.keySet()));
            answer.put("counts", new ArrayList<>(counts.values()));
        }
    }

    private static void failed(Map<String, Object> answer, String stage, Throwable thrown) {
        Throwable cause = thrown;
        while (cause instanceof InvocationTargetException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        Map<String, Object> error = new LinkedHashMap<>();
        error.put("stage", stage);
        error.put("class", cause.getClass().getName());
        error.put("message", cause.getMessage());
        if (stage.equals("trace")) {
            answer.put("trace_error", error);
        } else {
            answer.remove("selected_any_of");
            answer.remove("counts");
            answer.put("selected", null);
            answer.put("error", error);
        }
    }
}
