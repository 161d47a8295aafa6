package com.acme.lab;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a scenario sets: system properties {@code lab.<object>.<property>}, where the object is one of Dubbo's configuration objects
 * (application, registry, protocol, service, reference, ..) and the property one that it has a setter for. So a scenario speaks Dubbo's
 * own words, and this class does not know any of them.
 */
final class Settings {
    private Settings() {
    }

    /** The value of a property of the lab's own. */
    static String of(String key, String otherwise) {
        return System.getProperty("lab." + key, otherwise);
    }

    /** Whether anything is set for such an object. */
    static boolean any(String object) {
        return !of(object).isEmpty();
    }

    /** Sets what is set for {@code object} on {@code config}, and returns it. */
    static <T> T onto(T config, String object) {
        of(object).forEach((property, value) -> set(config, property, value));
        return config;
    }

    private static Map<String, String> of(String object) {
        String prefix = "lab." + object + ".";
        Map<String, String> found = new TreeMap<>();
        for (String name : System.getProperties().stringPropertyNames()) {
            if (name.startsWith(prefix)) {
                found.put(name.substring(prefix.length()), System.getProperty(name));
            }
        }
        return found;
    }

    private static void set(Object config, String property, String value) {
        String setter = "set" + Character.toUpperCase(property.charAt(0)) + property.substring(1);
        for (Method method : config.getClass().getMethods()) {
            if (method.getName().equals(setter) && method.getParameterCount() == 1) {
                Object argument = read(value, method.getParameterTypes()[0]);
                if (argument != null) {
                    try {
                        method.invoke(config, argument);
                    } catch (ReflectiveOperationException failed) {
                        throw new IllegalArgumentException(property + "=" + value + ": " + failed.getCause(), failed);
                    }
                    return;
                }
            }
        }
        throw new IllegalArgumentException(config.getClass().getSimpleName() + " of this Dubbo has no " + property);
    }

    private static Object read(String value, Class<?> type) {
        if (type == String.class) {
            return value;
        }
        if (type == Integer.class || type == int.class) {
            return Integer.valueOf(value);
        }
        if (type == Boolean.class || type == boolean.class) {
            return Boolean.valueOf(value);
        }
        if (type == Map.class) {
            Map<String, String> map = new HashMap<>();
            for (String entry : value.split(";")) {
                map.put(entry.substring(0, entry.indexOf('=')), entry.substring(entry.indexOf('=') + 1));
            }
            return map;
        }
        return null;
    }
}
