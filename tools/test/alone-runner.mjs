import Runner from 'jest-runner';

/** Runs the files of a project one after the other, when the files of no other project run. */
export default class AloneRunner extends Runner {
  isSerial = true;
}
