package com.acme.lab.routers;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.dubbo.rpc.RpcInvocation;

/** A case: rules, references and a call. */
final class Question {
    /** What a config center holds under a name; no content is a removal. */
    record Rule(String key, String group, String content) {}

    /** A consumer's own URL, and the addresses that its registry gives it. */
    record Subscription(String consumer, List<String> providers) {}

    String id;
    Subscription first;
    /** A second reference of the same application, or null. */
    Subscription later;
    List<String> routerUrls;
    List<Rule> rules;
    List<Rule> updates;
    final Map<String, String> systemProperties = new LinkedHashMap<>();
    int repeat;
    /** What is to be measured, or null. */
    Measure measure;

    private String method;
    private final List<String> types = new ArrayList<>();
    private final List<Object> arguments = new ArrayList<>();
    private final Map<String, Object> attachments = new LinkedHashMap<>();

    static Question read(String line) {
        JsonObject json = JsonParser.parseString(line).getAsJsonObject();
        Question question = new Question();
        question.id = text(json.get("id"));
        question.first = new Subscription(text(json.get("consumer")), texts(json, "providers"));
        if (json.has("later_consumer")) {
            question.later = new Subscription(text(json.get("later_consumer")), texts(json, "later_providers"));
        }
        question.routerUrls = texts(json, "router_urls");
        question.rules = rules(json, "rules");
        question.updates = rules(json, "updates");
        if (json.has("system_properties")) {
            json.getAsJsonObject("system_properties")
                    .entrySet()
                    .forEach(entry -> question.systemProperties.put(entry.getKey(), text(entry.getValue())));
        }
        question.repeat = json.has("repeat") ? json.get("repeat").getAsInt() : 1;
        question.measure = Measure.read(json.get("measure"));
        question.method = text(json.get("method"));
        question.types.addAll(texts(json, "parameter_types"));
        List<JsonElement> values = elements(json, "arguments");
        for (int i = 0; i < values.size(); i++) {
            question.arguments.add(object(values.get(i), i < question.types.size() ? question.types.get(i) : ""));
        }
        if (json.has("attachments")) {
            json.getAsJsonObject("attachments")
                    .entrySet()
                    .forEach(entry -> question.attachments.put(entry.getKey(), object(entry.getValue(), "")));
        }
        return question;
    }

    /** The call. */
    RpcInvocation invocation() {
        RpcInvocation invocation = new RpcInvocation();
        invocation.setMethodName(method);
        invocation.setParameterTypes(types.stream().map(Question::type).toArray(Class<?>[]::new));
        invocation.setArguments(arguments.toArray());
        // A real call carries a map, be it an empty one; without it some versions read attachments in another way.
        invocation.setObjectAttachments(new HashMap<>());
        attachments.forEach(invocation::setAttachment);
        return invocation;
    }

    private static String text(JsonElement value) {
        return value == null || value.isJsonNull() ? null : value.getAsString();
    }

    private static List<JsonElement> elements(JsonObject json, String name) {
        List<JsonElement> values = new ArrayList<>();
        if (json.has(name)) {
            json.getAsJsonArray(name).forEach(values::add);
        }
        return values;
    }

    private static List<String> texts(JsonObject json, String name) {
        return elements(json, name).stream().map(Question::text).toList();
    }

    private static List<Rule> rules(JsonObject json, String name) {
        return elements(json, name).stream()
                .map(JsonElement::getAsJsonObject)
                .map(rule -> new Rule(
                        text(rule.get("key")),
                        rule.has("group") ? text(rule.get("group")) : "dubbo",
                        text(rule.get("content"))))
                .toList();
    }

    /** The Java object that a value stands for where this type is wanted. */
    private static Object object(JsonElement value, String type) {
        if (value.isJsonNull()) {
            return null;
        }
        if (value.isJsonArray()) {
            return array(value.getAsJsonArray(), type);
        }
        if (value.isJsonObject()) {
            Map<String, Object> map = new LinkedHashMap<>();
            value.getAsJsonObject().entrySet().forEach(entry -> map.put(entry.getKey(), object(entry.getValue(), "")));
            return map;
        }
        JsonPrimitive primitive = value.getAsJsonPrimitive();
        if (primitive.isBoolean()) {
            return primitive.getAsBoolean();
        }
        if (primitive.isString()) {
            return primitive.getAsString();
        }
        return number(primitive.getAsString(), type);
    }

    private static Object array(JsonArray values, String type) {
        List<Object> items = new ArrayList<>();
        values.forEach(value -> items.add(object(value, "")));
        return switch (type) {
            case "java.util.List" -> items;
            case "java.lang.String[]" -> items.stream().map(String::valueOf).toArray(String[]::new);
            default -> items.toArray();
        };
    }

    private static Object number(String text, String type) {
        boolean whole = text.chars().allMatch(c -> c == '-' || Character.isDigit(c));
        return switch (type) {
            case "long", "java.lang.Long" -> Long.valueOf(text);
            case "double", "java.lang.Double" -> Double.valueOf(text);
            case "float", "java.lang.Float" -> Float.valueOf(text);
            default -> {
                if (!whole) {
                    yield Double.valueOf(text);
                }
                long value = Long.parseLong(text);
                if (value == (int) value) {
                    yield (int) value;
                }
                yield value;
            }
        };
    }

    private static Class<?> type(String name) {
        return switch (name) {
            case "int" -> int.class;
            case "long" -> long.class;
            case "boolean" -> boolean.class;
            case "double" -> double.class;
            case "float" -> float.class;
            case "java.lang.String[]" -> String[].class;
            case "java.lang.Object[]" -> Object[].class;
            default -> {
                try {
                    yield Class.forName(name);
                } catch (ClassNotFoundException e) {
                    yield Object.class;
                }
            }
        };
    }
}
