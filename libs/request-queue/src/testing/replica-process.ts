import { startReplicaHere, type ReplicaOptions } from './replica.js';

// A forked replica: its options are the first argument, it says when it is ready, and ends on SIGTERM or with its parent
const { app } = await startReplicaHere(JSON.parse(process.argv[2] ?? '{}') as ReplicaOptions);
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));
process.once('disconnect', () => process.exit(4));
process.send?.('ready');
