/** Texts that requests contain, and that must not take effect in a response or the log. */
export const canaries = {
  /** Response header that text with line breaks tries to inject. */
  header: 'x-planted',
  /** Log message that text tries to inject. */
  logLine: 'a planted line',
  script: '<script>planted()',
  /** Host that requests name in `Host`, URL and forwarding headers. No response may contain it. */
  host: 'planted-host.example',
} as const;
