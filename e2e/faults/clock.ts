// Preloaded into the apps: each SIGUSR2 sets the clock of the process, for faults. Timers use the
// monotonic clock, as after a change of the system time.

const hourMs = 3_600_000;
/** Differences from the system time after successive signals. */
const offsetsMs = [hourMs, -hourMs, 0];

const SystemDate = Date;
let offsetMs = 0;
let signals = 0;

const now = (): number => SystemDate.now() + offsetMs;

// Not a subclass, because dates that Node creates are instances of the original
globalThis.Date = new Proxy(SystemDate, {
  get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
  construct: (target, values, constructor) =>
    Reflect.construct(target, values.length === 0 ? [now()] : values, constructor) as object,
  apply: () => new SystemDate(now()).toString(),
});

process.on('SIGUSR2', () => {
  offsetMs = offsetsMs[signals % offsetsMs.length]!;
  signals += 1;
});
