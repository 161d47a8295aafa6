package com.acme.lab.routers;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.HashMap;
import org.apache.dubbo.common.config.configcenter.ConfigChangeType;
import org.apache.dubbo.common.config.configcenter.ConfigChangedEvent;
import org.apache.dubbo.common.config.configcenter.ConfigurationListener;
import org.apache.dubbo.common.config.configcenter.DynamicConfiguration;

/** A config center in memory, which remembers what it was asked for. */
final class Rules implements DynamicConfiguration {
    /** The application that hosts this program: what it asks for itself is no part of an answer. */
    static final String HOST = "lab-routers";

    private record Name(String key, String group) {}

    private final Map<Name, String> texts = new HashMap<>();
    private final Map<Name, List<ConfigurationListener>> listeners = new HashMap<>();
    private final Set<Name> asked = new LinkedHashSet<>();

    void forget() {
        texts.clear();
        listeners.clear();
        asked.clear();
    }

    void hold(Question.Rule rule) {
        if (rule.content() != null) {
            texts.put(new Name(rule.key(), rule.group()), rule.content());
        }
    }

    /** Publishes or, with no text, removes a rule, and tells who listens; how many they were. */
    int change(Question.Rule rule) {
        Name name = new Name(rule.key(), rule.group());
        boolean removal = rule.content() == null;
        String before = removal ? texts.remove(name) : texts.put(name, rule.content());
        ConfigChangeType type = removal
                ? ConfigChangeType.DELETED
                : before == null ? ConfigChangeType.ADDED : ConfigChangeType.MODIFIED;
        ConfigChangedEvent event =
                new ConfigChangedEvent(rule.key(), rule.group(), removal ? "" : rule.content(), type);
        List<ConfigurationListener> told = List.copyOf(listeners.getOrDefault(name, List.of()));
        for (ConfigurationListener listener : told) {
            listener.process(event);
        }
        return told.size();
    }

    List<Map<String, String>> asked() {
        List<Map<String, String>> names = new ArrayList<>();
        for (Name name : asked) {
            if (!name.key().startsWith(HOST + ".")) {
                names.add(Map.of("key", name.key(), "group", name.group()));
            }
        }
        return names;
    }

    @Override
    public String getConfig(String key, String group, long timeout) {
        Name name = new Name(key, group);
        asked.add(name);
        return texts.get(name);
    }

    @Override
    public void addListener(String key, String group, ConfigurationListener listener) {
        listeners.computeIfAbsent(new Name(key, group), name -> new ArrayList<>()).add(listener);
    }

    @Override
    public void removeListener(String key, String group, ConfigurationListener listener) {
        listeners.getOrDefault(new Name(key, group), new ArrayList<>()).remove(listener);
    }

    @Override
    public Object getInternalProperty(String key) {
        return null;
    }

    @Override
    public void close() {}
}
