/** Marks in what is sent that must never come back as what they try to be. */
export const canaries = {
  /** The name of a header that text with line breaks tries to add. */
  header: 'x-planted',
  /** The message of a log line that text tries to write. */
  logLine: 'a planted line',
  script: '<script>planted()',
  /** Only ever sent as the host. */
  host: 'planted-host.example',
} as const;
