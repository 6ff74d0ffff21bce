import { startLocalReplica, type ReplicaOptions } from './replica.js';

// Program of a forked replica: its options are the first argument. It sends `ready` and exits on
// SIGTERM or with its parent
const { app } = await startLocalReplica(JSON.parse(process.argv[2] ?? '{}') as ReplicaOptions);
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));
process.once('disconnect', () => process.exit(4));
process.send?.('ready');
