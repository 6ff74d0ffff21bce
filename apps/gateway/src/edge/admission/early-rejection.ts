import { requestIdOf } from '../headers/request-id.js';
import type { ProblemWriter } from '../errors/problem-writer.js';
import type { EarlyHandler } from '../server/before-framework.js';
import { overloaded, type Admission } from './admission.js';

/** Created once, because an error with a stack is a tenth of the cost of a rejection. */
const problem = overloaded().body();

/**
 * Rejects calls of users with a cached token before the framework handles them, if Admission would
 * reject them anyway: routing, hooks and reply objects are most of the cost of a rejection.
 *
 * @param headers headers of every rejection
 */
export const earlyRejection =
  (admission: Admission, problemWriter: ProblemWriter, headers: Readonly<Record<string, string>>): EarlyHandler =>
  (request, response) => {
    if (!admission.mustReject(request)) return false;
    const requestId = requestIdOf(request);
    const text = problemWriter.text(problem, requestId);
    response.writeHead(problem.status, {
      ...headers,
      'x-request-id': requestId,
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
    return true;
  };
