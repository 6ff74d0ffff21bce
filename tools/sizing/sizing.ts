import { type Cost, measured } from './measured.js';

// What a shop of some size needs, by arithmetic from what one request and one row cost. Requests a second are all that
// clients send, pictures among them, in the busiest minute.

export type Part = keyof Cost;

/** A kind of request that reaches a gateway. */
interface Kind {
  readonly what: string;
  /** Of all requests of clients. */
  readonly share: number;
  readonly cost: Cost;
  /** Bytes that leave the gateway. */
  readonly bytes: number;
}

/** Half of what clients ask for are pictures, of which a CDN answers 98 of 100. */
const pictures = { share: 0.5, ofCdn: 0.98, notDrawn: 0.02 };
/** Of the other half 97 of 100 read what catalog shows, two what is somebody's own, and one writes. */
const writes = { share: 0.005, materials: 0.01 };
const own = 0.01;
const shown = 1 - pictures.share - writes.share - own;
/** The client has the answer; catalog has it; it is made anew, because something has changed. */
const [has, kept, anew] = [0.3, 0.5, 0.2];

const toGateway = pictures.share * (1 - pictures.ofCdn);

export const mix: readonly Kind[] = [
  { what: 'a list that the client has: 304', share: shown * has, cost: measured.notModified, bytes: 500 },
  { what: 'a list that catalog has kept', share: shown * kept, cost: measured.kept, bytes: measured.listBytes },
  { what: 'a list that is made anew', share: shown * anew, cost: measured.anew, bytes: measured.listBytes },
  { what: "somebody's own materials", share: own, cost: measured.own, bytes: measured.ownBytes },
  { what: 'a favorite', share: writes.share * (1 - writes.materials), cost: measured.favorite, bytes: 500 },
  { what: 'a new material', share: writes.share * writes.materials, cost: measured.material, bytes: 9_000 },
  {
    what: 'a picture that is drawn',
    share: toGateway * (1 - pictures.notDrawn),
    cost: measured.picture,
    bytes: measured.pictureBytes,
  },
  {
    what: 'a picture to draw',
    share: toGateway * pictures.notDrawn,
    cost: measured.drawing,
    bytes: measured.pictureBytes,
  },
];

/** Of what clients ask, as much reaches a gateway. */
export const shareAtGateway = mix.reduce((sum, { share }) => sum + share, 0);

/** A process or server that is busy for longer than this answers late: autoscaling has the same aim. */
export const busy = 0.6;

const parts: readonly Part[] = [
  'gateway',
  'catalog',
  'social',
  'activity',
  'rendering',
  'requestsRedis',
  'jobsRedis',
  'postgres',
];

/** Processors that each part keeps busy. */
export const busyCores = (rate: number): Record<Part, number> =>
  Object.fromEntries(
    parts.map((part) => [
      part,
      (rate * mix.reduce((sum, { share, cost }) => sum + share * (cost[part] ?? 0), 0)) / 1e6,
    ]),
  ) as Record<Part, number>;

/** Processes of one thread: at least two, so that one may go. */
const replicas = (cores: number): number => Math.max(2, Math.ceil(cores / busy));

/** Requests of clients a second at which so many processors of a part are busy for as long as they should be. */
export const rateAt = (part: Part, cores: number): number => (cores * busy) / busyCores(1)[part];

export function needs(rate: number, products: number) {
  const cores = busyCores(rate);
  const processes = {
    gateway: replicas(cores.gateway),
    accounts: 2,
    catalog: replicas(cores.catalog),
    social: replicas(cores.social),
    activity: replicas(cores.activity),
    // Requests and workers together; libvips draws with more than one thread: two processors each
    rendering: Math.max(2, Math.ceil(cores.rendering / busy / 2)),
  };
  const services = Object.entries(processes).filter(([name]) => name !== 'gateway');
  const materials = products / measured.productsPerMaterial;
  const favoritesPerSecond = rate * writes.share * (1 - writes.materials);
  const materialsPerSecond = rate * writes.share * writes.materials;
  return {
    cores,
    processes,
    /** One server answers with one thread: so many would share the requests. */
    requestsRedis: Math.ceil(cores.requestsRedis / busy),
    jobsRedis: Math.ceil(cores.jobsRedis / busy),
    postgresCores: Math.ceil(cores.postgres / busy),
    connections: services.reduce((sum, [, count]) => sum + count * 11, 0),
    memoryGb:
      Object.entries(processes).reduce(
        (sum, [name, count]) => sum + count * measured.memoryMb[name as keyof typeof measured.memoryMb],
        0,
      ) / 1_000,
    egressGbits: (rate * mix.reduce((sum, { share, bytes }) => sum + share * bytes, 0) * 8) / 1e9,
    cdnGbits: (rate * pictures.share * measured.pictureBytes * 8) / 1e9,
    rowsGb: (products * measured.productBytes + materials * measured.materialBytes) / 1e9,
    blobs: materials * measured.blobsPerMaterial,
    blobsTb: (materials * measured.blobBytesPerMaterial) / 1e12,
    favoritesPerDayMillion: (favoritesPerSecond * daySeconds) / 1e6,
    logMbPerSecond: (favoritesPerSecond * measured.favoriteLog + materialsPerSecond * measured.materialLog) / 1e6,
    rowsGbPerDay: (favoritesPerSecond * daySeconds * (measured.favoriteBytes + measured.activityBytes)) / 1e9,
  };
}

/** The busiest minute lasts for a third of a day, so to speak. */
const daySeconds = 86_400 / 3;
