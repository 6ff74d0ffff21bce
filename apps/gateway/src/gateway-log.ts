import type { Log } from '#observability';

/** The injection token of the gateway's log: a pino logger is an interface, which Nest cannot see. */
export const GATEWAY_LOG = Symbol('GATEWAY_LOG');
export type GatewayLog = Log;
