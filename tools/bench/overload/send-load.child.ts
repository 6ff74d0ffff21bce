import { sendLoad, type Load } from './send-load.js';

process.on('message', (load: Load) => void sendLoad(load).then((result) => process.send!(result)));
process.on('disconnect', () => process.exit());
