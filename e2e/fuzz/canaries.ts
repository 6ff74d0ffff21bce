/** Injected values that must not take effect. */
export const canaries = {
  /** Header that text with line breaks tries to inject. */
  header: 'x-planted',
  /** Log message that text tries to inject. */
  logLine: 'a planted line',
  script: '<script>planted()',
  /** Sent as host only. */
  host: 'planted-host.example',
} as const;
