"""Times launches one by one, the L2 cache overwritten before each."""

FLUSH_BYTES = 256 * 2**20


def scratch_of(torch):
    return torch.empty(FLUSH_BYTES // 4, device="cuda", dtype=torch.int32)


def flushed(torch, scratch, run, seconds, flushes=1, least=15):
    """Microseconds of each launch between two events, in about that time. `flushes`: overwrites before each."""
    pairs = []

    def once():
        for _ in range(flushes):
            scratch.zero_()
        pair = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
        pair[0].record()
        run()
        pair[1].record()
        pairs.append(pair)

    def collect():
        torch.cuda.synchronize()
        times = [begin.elapsed_time(end) * 1000 for begin, end in pairs]
        pairs.clear()
        return times

    total = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
    once()
    collect()
    total[0].record()
    for _ in range(5):
        once()
    total[1].record()
    collect()
    rounds = max(least, int(seconds * 1000 / (total[0].elapsed_time(total[1]) / 5)))
    times = []
    for _ in range(rounds):
        # So much work in front of a series that the host is ahead of the device from then on.
        if not pairs:
            for _ in range(4):
                scratch.zero_()
        once()
        if len(pairs) == 64:
            times += collect()
    return times + collect()
