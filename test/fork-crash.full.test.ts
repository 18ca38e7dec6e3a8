import { describeForkCrashes } from './support/fork-crashes.ts';
import { useHostd } from './support/suite.ts';

describeForkCrashes(useHostd(), 'other');
