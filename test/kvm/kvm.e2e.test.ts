import { describeTier } from '../tiers/scenario.ts';
import { useNestedKvm } from './nested-subject.ts';

// The inner QEMU is Debian 13's: the tier and the newer QEMU together.
describeTier('KVM', useNestedKvm(), { tier: 'kvm', version: /^10\.0\./, extent: 'least' });
