import { offer, type Order } from './offer.js';

process.on('message', (order: Order) => void offer(order).then((asked) => process.send!(asked)));
process.on('disconnect', () => process.exit());
