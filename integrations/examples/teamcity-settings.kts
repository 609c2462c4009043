import jetbrains.buildServer.configs.kotlin.*
import jetbrains.buildServer.configs.kotlin.buildSteps.script
import jetbrains.buildServer.configs.kotlin.triggers.vcs

version = "2025.11"

project {
    buildType(Deliver)
}

object Deliver : BuildType({
    name = "Deliver"
    vcs { root(DslContext.settingsRoot) }
    triggers { vcs { } }
    params {
        param("env.WAYMARK_HOST", "https://waymark.example.com")
        param("env.WAYMARK_ORG", "acme")
        param("env.WAYMARK_FLOW", "web")
        param("env.APP_DIR", "/srv/app")
        password("env.WAYMARK_TOKEN", "credentialsJSON:waymark-token")
        password("env.WAYMARK_REPORTER_TOKEN", "credentialsJSON:waymark-reporter-token")
    }
    steps {
        script {
            name = "Build"
            scriptContent = """
                #!/usr/bin/env bash
                set -e
                npm install --global --ignore-scripts @waymark/cli@0.1.0-rc.2
                waymark begin trail
                ./build.sh
                waymark attest artifact dist/app.tgz --name app
                waymark attest auto 'reports/**' --artifact app
                waymark assert artifact dist/app.tgz --env production --flow web
            """.trimIndent()
        }
        script {
            name = "Deploy"
            conditions { equals("teamcity.build.branch.is_default", "true") }
            scriptContent = """
                #!/usr/bin/env bash
                set -e
                ./deploy.sh
                WAYMARK_TOKEN="${'$'}WAYMARK_REPORTER_TOKEN" waymark snapshot server production "${'$'}APP_DIR/app.tgz"
            """.trimIndent()
        }
    }
})
