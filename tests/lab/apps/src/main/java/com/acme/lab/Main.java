package com.acme.lab;

import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.config.ConfigCenterConfig;
import org.apache.dubbo.config.MetadataReportConfig;
import org.apache.dubbo.config.RegistryConfig;
import org.apache.dubbo.config.bootstrap.DubboBootstrap;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * One application of a scenario: {@code provider} or {@code consumer}. Says {@code LAB ready} or {@code LAB failed ..} on stdout, then does
 * what each line of stdin says. It ends with stdin, so that it never outlives the driver.
 */
public final class Main {
    private Main() {
    }

    /** What an application does with a line of stdin; the answer goes to stdout. */
    interface Role {
        String hear(String line) throws Exception;
    }

    public static void main(String[] args) throws Exception {
        boolean provider = args[0].equals("provider");
        Role role = null;
        try {
            DubboBootstrap dubbo = DubboBootstrap.getInstance();
            dubbo.application(Settings.onto(new ApplicationConfig(Settings.of("name", args[0])), "application"));
            dubbo.registries(registries());
            if (Settings.any("config-center")) {
                dubbo.configCenter(Settings.onto(new ConfigCenterConfig(), "config-center"));
            }
            if (Settings.any("metadata-report")) {
                dubbo.metadataReport(Settings.onto(new MetadataReportConfig(), "metadata-report"));
            }
            role = provider ? new Provider(dubbo) : new Consumer(dubbo);
            say("ready");
        } catch (Throwable failure) {
            say("failed " + text(failure));
        }
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            say(role == null ? "not started" : role.hear(line));
        }
        System.exit(0);
    }

    /** Several addresses stand with blanks between them. */
    private static List<RegistryConfig> registries() {
        List<RegistryConfig> registries = new ArrayList<>();
        for (String address : Settings.of("addresses", "").trim().split("\\s+")) {
            RegistryConfig registry = Settings.onto(new RegistryConfig(), "registry");
            registry.setAddress(address);
            registries.add(registry);
        }
        return registries;
    }

    private static void say(String text) {
        System.out.println("LAB " + text);
        System.out.flush();
    }

    /** An exception on one line. */
    static String text(Throwable failure) {
        return String.valueOf(failure).replace('\n', ' ').replace('\r', ' ');
    }
}
