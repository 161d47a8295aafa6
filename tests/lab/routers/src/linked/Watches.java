package com.acme.lab.routers;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.dubbo.common.URL;
import org.apache.dubbo.common.utils.Holder;
import org.apache.dubbo.rpc.Invocation;
import org.apache.dubbo.rpc.Invoker;
import org.apache.dubbo.rpc.cluster.router.RouterSnapshotNode;
import org.apache.dubbo.rpc.cluster.router.state.AbstractStateRouter;
import org.apache.dubbo.rpc.cluster.router.state.BitList;
import org.apache.dubbo.rpc.cluster.router.state.StateRouter;

/** Sees what goes over from one router of a linked chain to the next: after each router stands one that writes it down. */
final class Watches implements AutoCloseable {
    private record Link(AbstractStateRouter<Service> router, StateRouter<Service> next) {}

    private final List<Link> links = new ArrayList<>();
    private final List<List<Integer>> seen = new ArrayList<>();

    Watches(StateRouter<Service> head) {
        for (StateRouter<Service> router = head; router instanceof AbstractStateRouter<Service> one; ) {
            links.add(new Link(one, one.getNextRouter()));
            router = one.getNextRouter();
        }
        for (int i = 0; i < links.size(); i++) {
            links.get(i).router().setNextRouter(new Watch(i));
        }
    }

    /** Every router that ran. One that did not go on to the next had nothing left. */
    List<Map<String, Object>> steps() {
        List<Map<String, Object>> steps = new ArrayList<>();
        for (Link link : links) {
            boolean last = steps.size() == seen.size();
            steps.add(Generation.step(link.router(), last ? List.of() : seen.get(steps.size())));
            if (last) {
                break;
            }
        }
        return steps;
    }

    @Override
    public void close() {
        links.forEach(link -> link.router().setNextRouter(link.next()));
    }

    private final class Watch implements StateRouter<Service> {
        private final int place;

        Watch(int place) {
            this.place = place;
        }

        private StateRouter<Service> next() {
            return links.get(place).next();
        }

        @Override
        public BitList<Invoker<Service>> route(
                BitList<Invoker<Service>> left,
                URL url,
                Invocation invocation,
                boolean print,
                Holder<RouterSnapshotNode<Service>> holder) {
            // A router that finds nothing may let the rest of the chain run again, to print it.
            if (!print && seen.size() == place) {
                seen.add(Generation.places(left));
            }
            return next() == null ? left : next().route(left, url, invocation, print, holder);
        }

        @Override
        public URL getUrl() {
            return next() == null ? null : next().getUrl();
        }

        @Override
        public boolean isRuntime() {
            return true;
        }

        @Override
        public boolean isForce() {
            return false;
        }

        @Override
        public void notify(BitList<Invoker<Service>> addresses) {}

        @Override
        public String buildSnapshot() {
            return "";
        }

        @Override
        public void setNextRouter(StateRouter<Service> router) {}
    }
}
