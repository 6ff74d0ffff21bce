/** Injected values that must not take effect. */
export const canaries = {
  /** Header that text with line breaks tries to inject. */
  header: 'x-planted',
  /** Log message that text tries to inject. */
  logLine: 'a planted line',
  script: '<script>planted()',
  /** Sent only as the host of a request. */
  host: 'planted-host.example',
} as const;
