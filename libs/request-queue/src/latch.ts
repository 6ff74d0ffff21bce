/** A promise that is settled from outside. */
export interface Latch<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: Error) => void;
}

/** `Promise.withResolvers` of newer engines. */
export function latch<Value>(): Latch<Value> {
  let resolve!: (value: Value) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<Value>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** The promise's value, or `instead` after `timeoutMs`; the timer does not outlive the answer. */
export async function within<Value, Instead>(
  promise: Promise<Value>,
  timeoutMs: number,
  instead: Instead,
): Promise<Value | Instead> {
  const late = latch<Instead>();
  const timer = setTimeout(() => late.resolve(instead), timeoutMs);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
