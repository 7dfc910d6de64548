"""Runs fio and iosweep at one point each and reads what they say, for the
benchmark scripts beside it. Statistics of paired ratios, tables, CSV."""

import csv
import ctypes
import json
import math
import os
import platform
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
IOSWEEP = os.environ.get("IOSWEEP", os.path.join(ROOT, "build/release/iosweep"))
FIO = os.environ.get("FIO", "fio")

# Two-sided Student t quantiles by degrees of freedom (NIST/SEMATECH
# e-Handbook of Statistical Methods, table 1.3.6.7.2); beyond: normal.
T_90 = [6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812,
        1.796, 1.782, 1.771, 1.761, 1.753, 1.746, 1.740, 1.734, 1.729, 1.725,
        1.721, 1.717, 1.714, 1.711, 1.708, 1.706, 1.703, 1.701, 1.699, 1.697]
T_95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
        2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
        2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042]


class Point:
    """One combination, in the terms of iosweep."""

    def __init__(self, block, depth, pattern="rand", read=100, engine="io_uring",
                 cache="direct"):
        self.block, self.depth, self.pattern = block, depth, pattern
        self.read, self.engine, self.cache = read, engine, cache

    def __str__(self):
        mix = "read" if self.read == 100 else (
            "write" if self.read == 0 else "%d%% read" % self.read)
        return "%s %s %s x %d" % (self.pattern, mix, self.block, self.depth)


def need(program, package):
    if shutil.which(program):
        return
    print("installing %s" % package, file=sys.stderr)
    subprocess.run(["apt-get", "install", "-y", "-qq", package], check=True,
                   stdout=subprocess.DEVNULL)


def pinned(command, cpu):
    return command if cpu is None else ["taskset", "-c", str(cpu)] + command


PR_SET_THP_DISABLE = 41


def small_pages():
    """In a child before exec: memory of 4 KiB pages. iosweep asks for huge
    pages, fio does not, and an I/O into contiguous memory has fewer pieces,
    which some virtual disks serve several times as fast."""
    ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)


def run_iosweep(path, p, seconds, ramp="150ms", cpu=None, extra=(),
                huge_pages=True):
    """One visit; returns the row of points.csv as a dict of text, and with it
    the user time an I/O in ns, from visits.csv."""
    with tempfile.TemporaryDirectory(prefix="iosweep-bench-") as folder:
        out = os.path.join(folder, "run")
        command = [IOSWEEP, "run", path, "--quiet", "--out", out,
                   "--block-size", p.block, "--pattern", p.pattern,
                   "--read", str(p.read), "--engine", p.engine,
                   "--cache", p.cache, "--rounds", "1",
                   "--time", "%dms" % (seconds * 1000), "--ramp", ramp]
        if p.engine == "sync":
            command += ["--threads", str(p.depth), "--queue-depth", "1"]
        else:
            command += ["--outstanding", str(p.depth)]
        done = subprocess.run(pinned(command + list(extra), cpu),
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True,
                              preexec_fn=None if huge_pages else small_pages)
        if done.returncode:
            raise RuntimeError("iosweep: %s" % done.stderr.strip())
        with open(os.path.join(out, "visits.csv"), newline="") as f:
            visit = next(csv.DictReader(f))
        with open(os.path.join(out, "points.csv"), newline="") as f:
            row = next(csv.DictReader(f))
    ios = int(visit["read_ios"]) + int(visit["write_ios"])
    row["user_ns_per_io"] = float(visit["cpu_user_ms"]) * 1e6 / ios
    return row


FIO_ENGINE = {"io_uring": "io_uring", "libaio": "libaio", "sync": "psync"}
FIO_RW = {("rand", 100): "randread", ("rand", 0): "randwrite",
          ("seq", 100): "read", ("seq", 0): "write"}


def run_fio(path, p, seconds, ramp=0.15, cpu=None, extra=()):
    """One job; returns (iops, mean latency us, p99 us, cpu us an I/O)."""
    rw = FIO_RW.get((p.pattern, p.read),
                    "randrw" if p.pattern == "rand" else "rw")
    # fio takes a ramp in whole seconds only; 0.15 s comes to 1 s there.
    command = [FIO, "--name=p", "--filename=" + path, "--output-format=json",
               "--ioengine=" + FIO_ENGINE[p.engine], "--rw=" + rw,
               "--bs=" + p.block.lower(), "--thread", "--group_reporting",
               "--direct=%d" % (p.cache == "direct"), "--norandommap",
               "--randrepeat=0", "--time_based",
               "--runtime=%dms" % (seconds * 1000),
               "--ramp_time=%dms" % (ramp * 1000)]
    if rw in ("randrw", "rw"):
        command.append("--rwmixread=%d" % p.read)
    if p.engine == "sync":
        command.append("--numjobs=%d" % p.depth)
    else:
        command.append("--iodepth=%d" % p.depth)
    if p.cache == "buffered":
        command.append("--invalidate=0")
    done = subprocess.run(pinned(command + list(extra), cpu),
                          capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError("fio: %s" % done.stderr.strip())
    text = done.stdout[done.stdout.index("{"):]
    job = json.loads(text)["jobs"][0]
    parts = [job["read"], job["write"]]
    ios = sum(d["total_ios"] for d in parts)
    iops = sum(d["iops"] for d in parts)
    mean = sum(d["lat_ns"]["mean"] * d["total_ios"] for d in parts)
    main = max(parts, key=lambda d: d["total_ios"])
    p99 = main["lat_ns"].get("percentile", {}).get("99.000000")
    runtime_ms = max(d["runtime"] for d in parts)
    cpu_us = ((job["usr_cpu"] + job["sys_cpu"]) / 100 * runtime_ms * 1000 / ios
              if ios else math.nan)
    return (iops, mean / ios / 1000 if ios else math.nan,
            p99 / 1000 if p99 else math.nan, cpu_us)


def median(values):
    v = sorted(x for x in values if not math.isnan(x))
    if not v:
        return math.nan
    return (v[(len(v) - 1) // 2] + v[len(v) // 2]) / 2


def ratio_interval(pairs, table):
    """Geometric mean of a/b over the pairs and its t interval."""
    logs = [math.log(a / b) for a, b in pairs if a > 0 and b > 0]
    n = len(logs)
    if n < 2:
        return math.nan, math.nan, math.nan
    mean = sum(logs) / n
    sd = math.sqrt(sum((x - mean) ** 2 for x in logs) / (n - 1))
    t = table[n - 2] if n - 2 < len(table) else table[-1]
    half = t * sd / math.sqrt(n)
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)


def machine():
    cpu = ""
    with open("/proc/cpuinfo") as f:
        for line in f:
            if line.startswith("model name"):
                cpu = line.split(":", 1)[1].strip()
                break
    return "Linux %s, %s, %d cores" % (platform.release(), cpu, os.cpu_count())


def scratch_file(path, size):
    """A file written whole, made by iosweep, if it is not there yet."""
    if os.path.exists(path):
        return
    subprocess.run([IOSWEEP, "run", path, "--size", size, "--quiet",
                    "--block-size", "1M", "--outstanding", "1",
                    "--pattern", "seq", "--time", "50ms", "--rounds", "1",
                    "--out", tempfile.mkdtemp(prefix="iosweep-bench-") +
                    "/layout"], check=True, stdout=subprocess.DEVNULL)


def disk_of(path):
    """"major:minor" of the whole disk under a file."""
    number = os.stat(path).st_dev
    name = "%d:%d" % (os.major(number), os.minor(number))
    entry = os.path.realpath("/sys/dev/block/" + name)
    if not os.path.exists(entry):
        sys.exit("%s: not on a file system with one disk below it; take a "
                 "file on ext4 or xfs" % path)
    if os.path.exists(entry + "/partition"):
        with open(os.path.dirname(entry) + "/dev") as f:
            name = f.read().strip()
    return name


CGROUPS = "/sys/fs/cgroup"


class Limited:
    """While it lasts, this process and its children get at most so many I/Os
    and bytes a second of the disk under a file (root; the controller io of
    cgroup v2, or blkio of v1). A disk that is held below what it can do gives
    the same to everybody: what is left of a difference between two programs
    is theirs."""

    def __init__(self, path, iops, bytes_per_s):
        self.rules = (("iops", iops), ("bps", bytes_per_s))
        self.disk = disk_of(path)
        self.v1 = not os.path.exists(CGROUPS + "/cgroup.controllers")
        self.parent = CGROUPS + "/blkio" if self.v1 else CGROUPS
        self.group = "%s/iosweep-bench-%d" % (self.parent, os.getpid())

    def write(self, name, text):
        with open(os.path.join(self.group, name), "w") as f:
            f.write(text)

    def __enter__(self):
        if not self.v1:
            with open(self.parent + "/cgroup.subtree_control", "w") as f:
                f.write("+io")
        os.mkdir(self.group)
        for what, limit in self.rules:
            for way in ("read", "write"):
                if self.v1:
                    self.write("blkio.throttle.%s_%s_device" % (way, what),
                               "%s %d" % (self.disk, limit))
                else:
                    self.write("io.max", "%s %s%s=%d" %
                               (self.disk, way[0], what, limit))
        self.write("cgroup.procs", str(os.getpid()))
        return self

    def __exit__(self, *_):
        with open(self.parent + "/cgroup.procs", "w") as f:
            f.write(str(os.getpid()))
        os.rmdir(self.group)


def write_csv(path, header, rows):
    with open(path, "w", newline="") as f:
        writer = csv.writer(f)
        writer.writerow(header)
        writer.writerows(rows)
