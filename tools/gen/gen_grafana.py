#!/usr/bin/env python3
"""Writes packaging/grafana/cuzk.json, the dashboard of cuzk daemons. Usage: tools/gen/gen_grafana.py [--check]"""
import json, pathlib, sys

OUT = pathlib.Path("packaging/grafana/cuzk.json")
WHERE = '{instance=~"$instance"}'


def where(more):
    return '{instance=~"$instance", ' + more + "}"


# title, unit, [(query, legend)], kind
PANELS = [
    ("Daemons up", "short", [('up{job="cuzk"}', "{{instance}}")], "stat"),
    ("Jobs running", "short", [(f"sum(cuzk_running_jobs{WHERE})", "running")], "stat"),
    ("Jobs waiting", "short", [(f"sum(cuzk_queue_depth{WHERE})", "waiting")], "stat"),
    ("Failed, last hour", "short", [(f"sum(increase(cuzk_proofs_failed_total{WHERE}[1h]))", "failed")], "stat"),
    ("Proofs per hour", "short", [(f"sum by (proof_kind) (rate(cuzk_proofs_completed{WHERE}[15m])) * 3600", "{{proof_kind}}")], "timeseries"),
    ("Time of a proof, 95th percentile", "s",
     [(f"histogram_quantile(0.95, sum by (proof_kind, le) (rate(cuzk_proof_duration_seconds_bucket{WHERE}[15m])))", "{{proof_kind}}")], "timeseries"),
    ("Waiting jobs by kind", "short", [(f"sum by (proof_kind) (cuzk_jobs_pending{WHERE})", "{{proof_kind}}")], "timeseries"),
    ("Oldest waiting job", "s", [(f"max by (proof_kind) (cuzk_oldest_pending_seconds{WHERE})", "{{proof_kind}}")], "timeseries"),
    ("Time in each stage, mean", "s",
     [(f"sum by (stage) (rate(cuzk_stage_duration_seconds_sum{WHERE}[15m])) / sum by (stage) (rate(cuzk_stage_duration_seconds_count{WHERE}[15m]))", "{{stage}}")],
     "timeseries"),
    ("Partitions per minute, by card", "short", [(f"sum by (instance, device) (rate(cuzk_device_partitions_total{WHERE}[5m])) * 60", "{{instance}} {{device}}")],
     "timeseries"),
    ("Cards set aside", "short", [(f"cuzk_device_quarantined{WHERE}", "{{instance}} {{device}}")], "timeseries"),
    ("Errors of cards", "short", [(f"sum by (instance, device, type) (increase(cuzk_device_errors_total{WHERE}[15m]))", "{{instance}} {{device}} {{type}}")],
     "timeseries"),
    ("Host memory", "bytes",
     [(f"cuzk_memory_used_bytes{WHERE}", "{{instance}} reserved"), (f"cuzk_memory_budget_bytes{WHERE}", "{{instance}} budget"),
      (f"process_resident_memory_bytes{WHERE}", "{{instance}} resident")], "timeseries"),
    ("Parameters and circuits loaded", "bytes", [(f"sum by (what, where) (cuzk_cache_bytes{WHERE})", "{{what}}, {{where}}")], "timeseries"),
    ("Calls per second, by status", "short", [(f"sum by (code) (rate(cuzk_grpc_calls_total{WHERE}[5m]))", "{{code}}")], "timeseries"),
    ("Temperature of cards", "celsius", [(f"cuzk_gpu_temperature_celsius{WHERE}", "{{instance}} {{pci}}")], "timeseries"),
    ("Power of cards", "watt", [(f"cuzk_gpu_power_watts{WHERE}", "{{instance}} {{pci}}")], "timeseries"),
    ("Clock of cards", "hertz", [(f"cuzk_gpu_clock_hertz{WHERE}", "{{instance}} {{pci}}")], "timeseries"),
    ("Cards busy", "percentunit", [(f"cuzk_gpu_load_ratio{WHERE}", "{{instance}} {{pci}}")], "timeseries"),
    ("Certificate ends in", "s", [(f"cuzk_tls_certificate_expires_seconds{WHERE} - time()", "{{instance}}")], "timeseries"),
    ("Connections", "short", [(f"sum by (instance) (cuzk_grpc_connections{WHERE})", "{{instance}}")], "timeseries"),
]


def panel(n, title, unit, queries, kind):
    stat = kind == "stat"
    stats = sum(p[3] == "stat" for p in PANELS)
    i = n if stat else n - stats
    grid = {"h": 4, "w": 6, "x": 6 * i, "y": 0} if stat else {"h": 8, "w": 12, "x": 12 * (i % 2), "y": 4 + 8 * (i // 2)}
    return {
        "id": n + 1, "type": kind, "title": title, "gridPos": grid, "datasource": {"type": "prometheus", "uid": "${datasource}"},
        "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []}, "options": {},
        "targets": [{"refId": chr(65 + k), "expr": q, "legendFormat": legend, "datasource": {"type": "prometheus", "uid": "${datasource}"}}
                    for k, (q, legend) in enumerate(queries)],
    }


def main():
    dashboard = {
        "title": "cuzk", "uid": "cuzk", "tags": ["filecoin", "proofs"], "schemaVersion": 38, "version": 1, "editable": True, "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"}, "timezone": "browser",
        "templating": {"list": [
            {"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Data source"},
            {"name": "instance", "type": "query", "label": "Daemon", "multi": True, "includeAll": True, "allValue": ".*", "refresh": 2,
             "datasource": {"type": "prometheus", "uid": "${datasource}"}, "query": "label_values(cuzk_build_info, instance)"},
        ]},
        "panels": [panel(n, *p) for n, p in enumerate(PANELS)],
    }
    text = json.dumps(dashboard, indent=1) + "\n"
    if "--check" in sys.argv:
        if OUT.read_text() != text:
            print(f"{OUT} is not what tools/gen/gen_grafana.py writes")
            return 1
        return 0
    OUT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
