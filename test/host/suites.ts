/** All suites, in the order in which they run: activation first, since it watches what nothing else has caused yet. */
import './activation.suite';
import './languageServer.suite';
import './writing.suite';
import './otherFiles.suite';
import './authoring.suite';
import './debugging.suite';
import './steps.suite';
import './story.suite';
import './runViews.suite';
import './answers.suite';
import './exchanges.suite';
import './models.suite';
import './network.suite';
import './tryStep.suite';
