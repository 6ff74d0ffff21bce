/** Returns true for a URL of this machine: `localhost`, 127.0.0.0/8 or `::1`. */
export const isLoopback = ({ hostname }: URL): boolean => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
