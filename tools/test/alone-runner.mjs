import Runner from 'jest-runner';

/** Runs the files of a project sequentially, while no other project runs. */
export default class AloneRunner extends Runner {
  isSerial = true;
}
