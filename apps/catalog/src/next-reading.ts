import { runShared } from '#request-queue';

interface Group<Question, Value> {
  readonly questions: Question[];
  readonly value: Promise<Value>;
  readonly read: () => Promise<void>;
}

/** A reading that takes longer is stuck, as on a connection that was lost unnoticed, and is not waited for. */
const patienceMs = 250;
/** Readings at once, the stuck ones among them: each holds a connection of the pool, which has ten unless it is said otherwise, and should have more than four. */
const mostAtOnce = 4;

/**
 * A reading that is shared by all who ask before it begins. Who asks while one is under way gets the next one: it sees
 * whatever was committed before the question, which one that has begun may not.
 */
export class NextReading<Question, Value> {
  private waiting: Group<Question, Value> | undefined;
  /** What the next group waits for. */
  private current: Group<Question, Value> | undefined;
  private underWay = 0;

  /** @param read answers the questions of all who share a reading */
  constructor(private readonly read: (questions: readonly Question[]) => Promise<Value>) {}

  ask(question: Question): Promise<Value> {
    const group = (this.waiting ??= this.newGroup());
    group.questions.push(question);
    return group.value;
  }

  private newGroup(): Group<Question, Value> {
    const { promise, resolve, reject } = withResolvers<Value>();
    const questions: Question[] = [];
    // At the end of the turn: those who ask in the same one share it
    setImmediate(() => this.beginNext());
    return { questions, value: promise, read: () => runShared(() => this.read(questions)).then(resolve, reject) };
  }

  private beginNext(): void {
    const group = this.waiting;
    if (!group || this.current || this.underWay === mostAtOnce) return;
    this.waiting = undefined;
    this.current = group;
    this.underWay += 1;
    const tooLong = setTimeout(() => this.passOver(group), patienceMs);
    void group.read().then(() => {
      clearTimeout(tooLong);
      this.underWay -= 1;
      this.passOver(group);
    });
  }

  /** The next one waits for it no longer. */
  private passOver(group: Group<Question, Value>): void {
    if (this.current === group) this.current = undefined;
    this.beginNext();
  }
}

// Promise.withResolvers comes with Node 22
function withResolvers<Value>() {
  let resolve!: (value: Value) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<Value>((onValue, onError) => ([resolve, reject] = [onValue, onError]));
  return { promise, resolve, reject };
}
