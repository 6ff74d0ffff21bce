import { offer, type Order } from './offer.js';

process.on('message', (order: Order) => void offer(order).then((result) => process.send!(result)));
process.on('disconnect', () => process.exit());
